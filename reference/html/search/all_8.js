var searchData=
[
  ['id_0',['id',['../structlookupffn_1_1Filling.html#a3eccc5f4d63319718943be44125feefa',1,'lookupffn::Filling']]],
  ['ids_1',['ids',['../structlffn__result__view.html#a4b04b7a943ee8858e2dcdfc8ec146147',1,'lffn_result_view::ids()'],['../structlffn__model__run__args.html#aa1f6f2e67bd0c6cb12262fd18b8ce646',1,'lffn_model_run_args::ids()'],['../structlookupffn_1_1Sequences.html#af04db7e219088f1f40facdad1efa0ddc',1,'lookupffn::Sequences::ids()'],['../structlookupffn_1_1TokenBatch.html#a3068fb18fa9627a2aa03d373d6aa3cb3',1,'lookupffn::TokenBatch::ids()'],['../structlookupffn_1_1TokenVectors.html#a73c381b15231b0dd00530b6f9e7c7ee6',1,'lookupffn::TokenVectors::ids()'],['../structlffn__tokenize__args.html#a2ae2c26d204cd89ff65f7fac92df78de',1,'lffn_tokenize_args::ids()'],['../structlookupffn_1_1Encoding.html#a51109a94d56ee395ccc7d3ad8424e381',1,'lookupffn::Encoding::ids()']]],
  ['info_2',['info',['../classlookupffn_1_1Model.html#af836ee0e0990b1f75539289d1769ccfc',1,'lookupffn::Model::info()'],['../classlookupffn_1_1Tokenizer.html#a6547e337d9f0ac00e4de81bae07c3140',1,'lookupffn::Tokenizer::info()'],['../classlookupffn_1_1Layer.html#a082187be3ba31b06328b2c0fe0106d23',1,'lookupffn::Layer::info()']]],
  ['int8_5fembeddings_3',['int8_embeddings',['../structlffn__result__view.html#a38ebcad5200ad598e6f4c8bfe3d3cf03',1,'lffn_result_view']]],
  ['int8embeddings_4',['Int8Embeddings',['../structlookupffn_1_1Int8Embeddings.html',1,'lookupffn']]],
  ['intermediate_5fsize_5',['intermediate_size',['../structlffn__model__info.html#aad95ee58611fb6b4303d2915e554cb69',1,'lffn_model_info']]],
  ['internalerror_6',['InternalError',['../namespacelookupffn.html#ac6e4728aa7f27c8fbf308171e8aae2ed',1,'lookupffn']]],
  ['invalidargument_7',['InvalidArgument',['../namespacelookupffn.html#a4f811ae9a3dc8fe0657862f154359fc1',1,'lookupffn']]],
  ['ioerror_8',['IoError',['../namespacelookupffn.html#a67432e148b1d94a0c383a9432efef767',1,'lookupffn']]],
  ['is_5fsentence_5fencoder_9',['is_sentence_encoder',['../structlffn__model__info.html#a350edb22ba6afd462f9a4ed9959d3102',1,'lffn_model_info']]],
  ['is_5fword_5fpiece_10',['is_word_piece',['../structlffn__tokenizer__info.html#aa00dae98a8e0b25d1a980e82b0706f99',1,'lffn_tokenizer_info']]],
  ['isa_11',['isa',['../structlffn__runtime__options.html#aaa735d0185271218122f50452e910268',1,'lffn_runtime_options::isa()'],['../classlookupffn_1_1Runtime.html#a8b0d949bca70f0589fe6462dfc625d7f',1,'lookupffn::Runtime::isa()']]]
];
