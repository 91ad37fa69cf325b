var searchData=
[
  ['info_0',['info',['../classlookupffn_1_1Layer.html#a082187be3ba31b06328b2c0fe0106d23',1,'lookupffn::Layer::info()'],['../classlookupffn_1_1Model.html#af836ee0e0990b1f75539289d1769ccfc',1,'lookupffn::Model::info()'],['../classlookupffn_1_1Tokenizer.html#a6547e337d9f0ac00e4de81bae07c3140',1,'lookupffn::Tokenizer::info()']]],
  ['isa_1',['isa',['../classlookupffn_1_1Runtime.html#a8b0d949bca70f0589fe6462dfc625d7f',1,'lookupffn::Runtime']]]
];
