var searchData=
[
  ['toolong_0',['TooLong',['../namespacelookupffn.html#ac9d0c96ba9475a832b9fb13df670620b',1,'lookupffn']]],
  ['toosmall_1',['TooSmall',['../namespacelookupffn.html#ad11c1f1ed38ccde3cc026a5060f34179',1,'lookupffn']]]
];
