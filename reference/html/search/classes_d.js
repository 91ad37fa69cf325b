var searchData=
[
  ['zeroshotoptions_0',['ZeroShotOptions',['../structlookupffn_1_1ZeroShotOptions.html',1,'lookupffn']]]
];
