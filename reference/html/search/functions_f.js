var searchData=
[
  ['tensor_0',['Tensor',['../structlookupffn_1_1Tensor.html#a1074f3d252969a129620c6880c27ee5e',1,'lookupffn::Tensor']]],
  ['texts_1',['Texts',['../classlookupffn_1_1Texts.html#a494109bfa68f64a786eef883f986473d',1,'lookupffn::Texts::Texts()=default'],['../classlookupffn_1_1Texts.html#a4aeecc63ff1a464218d367bb8fec4e67',1,'lookupffn::Texts::Texts(const std::vector&lt; std::string &gt; &amp;texts)'],['../classlookupffn_1_1Texts.html#aa3f5ebf5a161980dcac51bf07355bc0a',1,'lookupffn::Texts::Texts(const std::vector&lt; std::string_view &gt; &amp;texts)'],['../classlookupffn_1_1Texts.html#a4f30bcd65b1c96ce9bc0755ca80862ac',1,'lookupffn::Texts::Texts(std::initializer_list&lt; std::string_view &gt; texts)']]],
  ['token_2',['token',['../classlookupffn_1_1Tokenizer.html#ab7d14b9a469f9e66e5ea5babd5d54021',1,'lookupffn::Tokenizer']]],
  ['token_5fscores_3',['token_scores',['../classlookupffn_1_1Model.html#aef13e7c6f0268a9ae195bdf71e52318d',1,'lookupffn::Model']]],
  ['token_5fvectors_4',['token_vectors',['../classlookupffn_1_1Model.html#ae3da5098a9eebccdc12909a06465d390',1,'lookupffn::Model']]],
  ['tokenizer_5',['Tokenizer',['../classlookupffn_1_1Tokenizer.html#ac5f2e08111ce7571b0e54e8c7e20f6ea',1,'lookupffn::Tokenizer::Tokenizer() noexcept=default'],['../classlookupffn_1_1Tokenizer.html#a5a104b1c1c2b659a85cf5ea59ce3d856',1,'lookupffn::Tokenizer::Tokenizer(lffn_tokenizer *handle) noexcept']]],
  ['tokenizer_6',['tokenizer',['../classlookupffn_1_1Model.html#a1d437c6c1ca908b665c10499fd99f8e0',1,'lookupffn::Model']]],
  ['tokenizerinfo_7',['TokenizerInfo',['../structlookupffn_1_1TokenizerInfo.html#accbdc7d907c55a1fd5854972c98830b8',1,'lookupffn::TokenizerInfo']]],
  ['tokens_8',['Tokens',['../classlookupffn_1_1Tokens.html#af057b2e9c8c533c3117829d2e9b138b0',1,'lookupffn::Tokens::Tokens(Span&lt; T &gt; floats, std::int64_t n_tokens, std::int64_t stride) noexcept'],['../classlookupffn_1_1Tokens.html#a40e036f51c023d3559c71303bf430798',1,'lookupffn::Tokens::Tokens(Container &amp;&amp;floats) noexcept']]],
  ['try_5fcall_9',['try_call',['../namespacelookupffn.html#af62a6002b0b4b687bf1a01ad65c37677',1,'lookupffn']]],
  ['try_5fcreate_10',['try_create',['../classlookupffn_1_1Layer.html#a93632f2882e9ac0e5009298c47952c49',1,'lookupffn::Layer::try_create()'],['../classlookupffn_1_1Runtime.html#ab6b28cf727b050c7fbab164204d6bc08',1,'lookupffn::Runtime::try_create()']]],
  ['try_5fembed_11',['try_embed',['../classlookupffn_1_1Model.html#a5e9813b95dac494bf3e581e66bc5de43',1,'lookupffn::Model']]],
  ['try_5fforward_12',['try_forward',['../classlookupffn_1_1Layer.html#a7524c434d32b273991f4276094e5e789',1,'lookupffn::Layer']]],
  ['try_5fload_13',['try_load',['../classlookupffn_1_1Layer.html#a5991fdc6ee90fd100c68364ecde5af67',1,'lookupffn::Layer::try_load()'],['../classlookupffn_1_1Model.html#a2283339ca17120a8523e819994a1a3f0',1,'lookupffn::Model::try_load()'],['../classlookupffn_1_1Tokenizer.html#ad739bbf5a6b67874b2efa2df3491cbde',1,'lookupffn::Tokenizer::try_load()']]],
  ['try_5fload_5ffiles_14',['try_load_files',['../classlookupffn_1_1Model.html#acacce2abfde8c404e2ad0878ae4e1184',1,'lookupffn::Model::try_load_files()'],['../classlookupffn_1_1Tokenizer.html#acea5ebfde1c6e491f79c600c5c461bf1',1,'lookupffn::Tokenizer::try_load_files()']]],
  ['try_5fload_5fmemory_15',['try_load_memory',['../classlookupffn_1_1Layer.html#a03a2bc1a59bb450509c5eaa92bd7eb78',1,'lookupffn::Layer::try_load_memory()'],['../classlookupffn_1_1Model.html#af3a8dc4939ee25298913bfb91e35f76e',1,'lookupffn::Model::try_load_memory(const Bytes &amp;bytes, const LoadOptions &amp;options={}) noexcept']]],
  ['try_5frun_16',['try_run',['../classlookupffn_1_1Model.html#a1456528e793457a8e2834811f6a91aea',1,'lookupffn::Model']]]
];
