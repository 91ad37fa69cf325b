var searchData=
[
  ['result_0',['Result',['../classlookupffn_1_1Result.html',1,'lookupffn']]],
  ['resultview_1',['ResultView',['../structlookupffn_1_1ResultView.html',1,'lookupffn']]],
  ['runoptions_2',['RunOptions',['../structlookupffn_1_1RunOptions.html',1,'lookupffn']]],
  ['runtime_3',['Runtime',['../classlookupffn_1_1Runtime.html',1,'lookupffn']]],
  ['runtimeoptions_4',['RuntimeOptions',['../structlookupffn_1_1RuntimeOptions.html',1,'lookupffn']]]
];
