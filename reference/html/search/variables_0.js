var searchData=
[
  ['activation_0',['activation',['../structlffn__layer__config.html#abbb06bd2feea3776355e6743d5426b37',1,'lffn_layer_config::activation()'],['../structlffn__layer__info.html#a20c6647d289b27305d123d2d86eaccbe',1,'lffn_layer_info::activation()']]],
  ['added_5fto_5fpair_1',['added_to_pair',['../structlffn__tokenizer__info.html#a640682612d471cb16ac298579385b734',1,'lffn_tokenizer_info']]],
  ['added_5fto_5ftext_2',['added_to_text',['../structlffn__tokenizer__info.html#a418c704912c74340c8b62ba1828bf039',1,'lffn_tokenizer_info']]],
  ['aggregation_3',['aggregation',['../structlffn__model__run__args.html#a8205328e0f5411ac2cf0b82596aad9c6',1,'lffn_model_run_args']]],
  ['allocate_4',['allocate',['../structlffn__allocator.html#ac780a6bc41c8a5fa966b75f2d28d8669',1,'lffn_allocator']]],
  ['allocator_5',['allocator',['../structlffn__runtime__options.html#a2f3140a46a8f6e2d32be5c170993ef00',1,'lffn_runtime_options']]],
  ['arithmetic_6',['arithmetic',['../structlffn__model__info.html#a56a708853d1ed72dd59f04373a53ffed',1,'lffn_model_info']]],
  ['attention_5fbytes_7',['attention_bytes',['../structlffn__model__layer__info.html#add059722a2d229d4038f2540490ce7c7',1,'lffn_model_layer_info']]],
  ['attention_5fdtype_8',['attention_dtype',['../structlffn__load__options.html#a0a3eaffed432587bf1739720a13d985e',1,'lffn_load_options::attention_dtype()'],['../structlffn__model__info.html#ae031a257114cf542e01bbe0ec59766fe',1,'lffn_model_info::attention_dtype()']]],
  ['attention_5fflop_5fper_5fpair_9',['attention_flop_per_pair',['../structlffn__model__info.html#af65d68ed6a8048aeaca08369b1ed68e7',1,'lffn_model_info::attention_flop_per_pair()'],['../structlffn__model__layer__info.html#a518910e8439ce666d526a9f3b0dc97da',1,'lffn_model_layer_info::attention_flop_per_pair()']]],
  ['attention_5fflop_5fper_5ftoken_10',['attention_flop_per_token',['../structlffn__model__info.html#a9a133322dd20c31c1cbb204bb023a827',1,'lffn_model_info::attention_flop_per_token()'],['../structlffn__model__layer__info.html#a9a90db527ddfaa0bc1b60b248254ed35',1,'lffn_model_layer_info::attention_flop_per_token()']]]
];
