var searchData=
[
  ['uncut_0',['uncut',['../structlookupffn_1_1RunOptions.html#a0034627cd9a937c74fbbeabf894f8cf8',1,'lookupffn::RunOptions']]]
];
