var searchData=
[
  ['outcome_0',['Outcome',['../structlookupffn_1_1Outcome.html',1,'lookupffn']]]
];
