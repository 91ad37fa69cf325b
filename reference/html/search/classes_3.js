var searchData=
[
  ['filling_0',['Filling',['../structlookupffn_1_1Filling.html',1,'lookupffn']]],
  ['free_1',['Free',['../structlookupffn_1_1Free.html',1,'lookupffn']]]
];
