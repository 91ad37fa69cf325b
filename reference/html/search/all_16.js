var searchData=
[
  ['x_0',['x',['../structlffn__forward__args.html#a11eae458d44ef69169f82f32b4f8fdd3',1,'lffn_forward_args::x()'],['../structlffn__hash__args.html#a9bde15de9c1651335328c91642c528ce',1,'lffn_hash_args::x()']]],
  ['x_5fstride_1',['x_stride',['../structlffn__forward__args.html#a36ee44499b1090f904fbe9fc7e1e134f',1,'lffn_forward_args::x_stride()'],['../structlffn__hash__args.html#ae2e498fa02d2fbace746082566772cc3',1,'lffn_hash_args::x_stride()']]]
];
