var searchData=
[
  ['wanted_0',['wanted',['../structlffn__model__run__args.html#a5bb8a3f52c26c62b4f9681400d5907eb',1,'lffn_model_run_args']]],
  ['weight_5fbytes_1',['weight_bytes',['../structlffn__memory__estimate.html#aff4bd640790bf08c07f5f8d35055236b',1,'lffn_memory_estimate']]],
  ['windows_2',['windows',['../structlffn__model__run__args.html#a11d35c89ebee9ac5f2e892431a49edce',1,'lffn_model_run_args::windows()'],['../structlookupffn_1_1RunOptions.html#ac1eac35a732ca141bcf43914a92cf3e6',1,'lookupffn::RunOptions::windows()']]],
  ['word_5fbytes_3',['word_bytes',['../structlffn__model__layer__info.html#a2a93e9d64b33cc729e5b682ee4ce5765',1,'lffn_model_layer_info']]],
  ['word_5fdtype_4',['word_dtype',['../structlffn__load__options.html#a199ac54b58c35c4f1663a3ebe93fe855',1,'lffn_load_options::word_dtype()'],['../structlffn__model__layer__info.html#afe025390ce61750d1c6c4e7ddd151d8f',1,'lffn_model_layer_info::word_dtype()']]]
];
