var searchData=
[
  ['hash_0',['hash',['../classlookupffn_1_1Layer.html#aefa0fd6d7272f3b6166a977321e1e51a',1,'lookupffn::Layer']]]
];
