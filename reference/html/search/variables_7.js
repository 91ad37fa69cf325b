var searchData=
[
  ['id_0',['id',['../structlookupffn_1_1Filling.html#a3eccc5f4d63319718943be44125feefa',1,'lookupffn::Filling']]],
  ['ids_1',['ids',['../structlffn__result__view.html#a4b04b7a943ee8858e2dcdfc8ec146147',1,'lffn_result_view::ids()'],['../structlffn__model__run__args.html#aa1f6f2e67bd0c6cb12262fd18b8ce646',1,'lffn_model_run_args::ids()'],['../structlookupffn_1_1Sequences.html#af04db7e219088f1f40facdad1efa0ddc',1,'lookupffn::Sequences::ids()'],['../structlookupffn_1_1TokenBatch.html#a3068fb18fa9627a2aa03d373d6aa3cb3',1,'lookupffn::TokenBatch::ids()'],['../structlookupffn_1_1TokenVectors.html#a73c381b15231b0dd00530b6f9e7c7ee6',1,'lookupffn::TokenVectors::ids()'],['../structlffn__tokenize__args.html#a2ae2c26d204cd89ff65f7fac92df78de',1,'lffn_tokenize_args::ids()'],['../structlookupffn_1_1Encoding.html#a51109a94d56ee395ccc7d3ad8424e381',1,'lookupffn::Encoding::ids()']]],
  ['int8_5fembeddings_2',['int8_embeddings',['../structlffn__result__view.html#a38ebcad5200ad598e6f4c8bfe3d3cf03',1,'lffn_result_view']]],
  ['intermediate_5fsize_3',['intermediate_size',['../structlffn__model__info.html#aad95ee58611fb6b4303d2915e554cb69',1,'lffn_model_info']]],
  ['is_5fsentence_5fencoder_4',['is_sentence_encoder',['../structlffn__model__info.html#a350edb22ba6afd462f9a4ed9959d3102',1,'lffn_model_info']]],
  ['is_5fword_5fpiece_5',['is_word_piece',['../structlffn__tokenizer__info.html#aa00dae98a8e0b25d1a980e82b0706f99',1,'lffn_tokenizer_info']]],
  ['isa_6',['isa',['../structlffn__runtime__options.html#aaa735d0185271218122f50452e910268',1,'lffn_runtime_options']]]
];
