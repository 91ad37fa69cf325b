var searchData=
[
  ['cancel_0',['cancel',['../classlookupffn_1_1CancelFlag.html#a8c97217d8e574679b51f19e2d2b590b2',1,'lookupffn::CancelFlag']]],
  ['cancelled_1',['cancelled',['../classlookupffn_1_1CancelFlag.html#adab539e6f2f4621c40d9fe20261ef49c',1,'lookupffn::CancelFlag']]],
  ['check_2',['check',['../namespacelookupffn.html#a94761d51a3d1c13f02bcd7f098dd03d8',1,'lookupffn']]],
  ['classify_3',['classify',['../classlookupffn_1_1Model.html#abc2ed70e44662b8a240cf6c7b5ea55a5',1,'lookupffn::Model::classify(const Texts &amp;texts, const RunOptions &amp;options={}) const'],['../classlookupffn_1_1Model.html#a405c6c0ed392a5ee38a39df161fab96b',1,'lookupffn::Model::classify(const Sequences &amp;sequences, const RunOptions &amp;options={}) const']]],
  ['config_4',['config',['../classlookupffn_1_1Model.html#a55481d5a12fa0384ed274d01507cabd7',1,'lookupffn::Model']]],
  ['count_5',['count',['../classlookupffn_1_1Tokens.html#a803f17f1940b8bcfe7b1fd19edb4bb9c',1,'lookupffn::Tokens::count()'],['../structlookupffn_1_1Sequences.html#a52ec5d96a927f29a0bdc3bfbcb9363f5',1,'lookupffn::Sequences::count()'],['../classlookupffn_1_1Texts.html#aa570fa29d469bc80e5e5cd23288d6407',1,'lookupffn::Texts::count()'],['../classlookupffn_1_1Tokenizer.html#a56dc33d1713e2737a7a7bb1e21df7d0e',1,'lookupffn::Tokenizer::count()']]],
  ['count_5ftokens_6',['count_tokens',['../classlookupffn_1_1Model.html#afaf0204845416d41ea748de433787ee3',1,'lookupffn::Model']]],
  ['create_7',['create',['../classlookupffn_1_1Layer.html#a2e1282b12810490c3823f037f3c4b12a',1,'lookupffn::Layer']]]
];
