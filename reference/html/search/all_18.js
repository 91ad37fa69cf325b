var searchData=
[
  ['zero_5fshot_0',['zero_shot',['../classlookupffn_1_1Model.html#a381ce1796f33c9ae6b93fbaef128ccff',1,'lookupffn::Model']]],
  ['zeroshotoptions_1',['ZeroShotOptions',['../structlookupffn_1_1ZeroShotOptions.html',1,'lookupffn']]]
];
