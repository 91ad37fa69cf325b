var searchData=
[
  ['encoding_0',['Encoding',['../structlookupffn_1_1Encoding.html',1,'lookupffn']]],
  ['entity_1',['Entity',['../structlookupffn_1_1Entity.html',1,'lookupffn']]],
  ['error_2',['Error',['../classlookupffn_1_1Error.html',1,'lookupffn']]],
  ['errorof_3',['ErrorOf',['../classlookupffn_1_1ErrorOf.html',1,'lookupffn']]]
];
