var searchData=
[
  ['window_0',['Window',['../structlookupffn_1_1Window.html',1,'lookupffn']]]
];
