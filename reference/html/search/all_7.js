var searchData=
[
  ['has_5flinear_5fmap_0',['has_linear_map',['../structlffn__model__layer__info.html#a56aeda3549773323ba0274fb032552ea',1,'lffn_model_layer_info']]],
  ['has_5flm_5fhead_1',['has_lm_head',['../structlffn__model__info.html#a8a1366bbaa727e9a65724461dd71424e',1,'lffn_model_info']]],
  ['has_5ftokenizer_2',['has_tokenizer',['../structlffn__model__info.html#a668aceaa3bc657fdd1b8d08496757898',1,'lffn_model_info']]],
  ['hash_3',['hash',['../classlookupffn_1_1Layer.html#aefa0fd6d7272f3b6166a977321e1e51a',1,'lookupffn::Layer']]],
  ['hash_5fbias_4',['hash_bias',['../structlffn__train__weights.html#a9ad4a23b21b5940647815d6d9ec4ccec',1,'lffn_train_weights::hash_bias()'],['../structlffn__train__gradients.html#a4a9577c3996df4d858a3d88dd3de6323',1,'lffn_train_gradients::hash_bias()']]],
  ['hash_5fdtype_5',['hash_dtype',['../structlffn__load__options.html#a850fa5bef4d66d22c75d5847a052d787',1,'lffn_load_options::hash_dtype()'],['../structlffn__layer__info.html#a100d15209efe3f046db3a0f828a6bd84',1,'lffn_layer_info::hash_dtype()'],['../structlffn__model__info.html#a9cebb88fb4403e68bca20ac40702fe4f',1,'lffn_model_info::hash_dtype()'],['../structlffn__model__layer__info.html#a8186de86f10c4c7a528a5886904ebe71',1,'lffn_model_layer_info::hash_dtype()']]],
  ['hash_5fweight_6',['hash_weight',['../structlffn__train__gradients.html#a9a8d2e226a2523fad0936210e5ddccf5',1,'lffn_train_gradients::hash_weight()'],['../structlffn__train__weights.html#a4cb9447a79349523f1fd4035285ae6cd',1,'lffn_train_weights::hash_weight()']]],
  ['hashes_7',['Hashes',['../structlookupffn_1_1Hashes.html',1,'lookupffn']]],
  ['head_5fsize_8',['head_size',['../structlffn__model__info.html#a900eb22b180488ca4053272de0b06c33',1,'lffn_model_info::head_size()'],['../structlffn__model__layer__info.html#ad3068886ca609b3083d6cbed9773d921',1,'lffn_model_layer_info::head_size()']]],
  ['hidden_9',['hidden',['../structlffn__result__view.html#a7835ebefbabc278d6184ed12c5e749b2',1,'lffn_result_view::hidden()'],['../structlffn__model__run__args.html#a3e23bf1c9d0765a0371f83f9aa8ca7f4',1,'lffn_model_run_args::hidden()']]],
  ['hidden_5fcapacity_10',['hidden_capacity',['../structlffn__model__run__args.html#af33954c7a89242ba292bbaaade4dfd1e',1,'lffn_model_run_args']]],
  ['hidden_5fsize_11',['hidden_size',['../structlffn__layer__config.html#a3a362c6925eaae335cee62847c08e36f',1,'lffn_layer_config::hidden_size()'],['../structlffn__layer__info.html#ae6e16a2df98eddd9d3543e7f46e71aca',1,'lffn_layer_info::hidden_size()'],['../structlffn__model__info.html#a9340c26e56fc6c189fa836436e979220',1,'lffn_model_info::hidden_size()']]],
  ['hooks_12',['Hooks',['../group__hooks.html',1,'']]],
  ['hypothesis_13',['hypothesis',['../structlffn__zero__shot__args.html#ada0a5fc3a387363f72e59ed99544ee4d',1,'lffn_zero_shot_args::hypothesis()'],['../structlookupffn_1_1ZeroShotOptions.html#a40ed211496c1f752aa090b94b4257c4c',1,'lookupffn::ZeroShotOptions::hypothesis()']]],
  ['hypothesis_5fsize_14',['hypothesis_size',['../structlffn__zero__shot__args.html#a88ccf7b0e43e9fcbc21db54441a8a01a',1,'lffn_zero_shot_args']]]
];
