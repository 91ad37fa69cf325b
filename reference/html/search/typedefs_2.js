var searchData=
[
  ['internalerror_0',['InternalError',['../namespacelookupffn.html#ac6e4728aa7f27c8fbf308171e8aae2ed',1,'lookupffn']]],
  ['invalidargument_1',['InvalidArgument',['../namespacelookupffn.html#a4f811ae9a3dc8fe0657862f154359fc1',1,'lookupffn']]],
  ['ioerror_2',['IoError',['../namespacelookupffn.html#a67432e148b1d94a0c383a9432efef767',1,'lookupffn']]]
];
