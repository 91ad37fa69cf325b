var searchData=
[
  ['badmodel_0',['BadModel',['../namespacelookupffn.html#ab24e6bc8de6c3744d89f2cd6b1d17524',1,'lookupffn']]],
  ['badtext_1',['BadText',['../namespacelookupffn.html#aeb95aad64dba47055666f027343e77db',1,'lookupffn']]]
];
