var searchData=
[
  ['y_0',['y',['../structlffn__forward__args.html#aa5e4e58eec3ed36dc1e1db37298d4874',1,'lffn_forward_args']]],
  ['y_5fstride_1',['y_stride',['../structlffn__forward__args.html#afa49bd48bf9d572fe891d9ac91fb1111',1,'lffn_forward_args']]]
];
