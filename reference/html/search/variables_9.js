var searchData=
[
  ['label_0',['label',['../structlookupffn_1_1ScoredLabel.html#ae3d5da4062345566ec7643f8ef41bbb5',1,'lookupffn::ScoredLabel::label()'],['../structlookupffn_1_1Entity.html#a17ca7b655afd0cf3155e57b91bd2bafb',1,'lookupffn::Entity::label()']]],
  ['label_5fsizes_1',['label_sizes',['../structlffn__zero__shot__args.html#aac1f8be051799806a9fdf2a689851544',1,'lffn_zero_shot_args']]],
  ['labels_2',['labels',['../structlffn__zero__shot__args.html#a0b0c1e890d36331f582dee911cbf9eaa',1,'lffn_zero_shot_args']]],
  ['layer_5fnorm_3',['layer_norm',['../structlffn__layer__config.html#a70195362f6033dbc2155947543f187f8',1,'lffn_layer_config::layer_norm()'],['../structlffn__layer__info.html#a4c8964968592cb4655820bee20194a4f',1,'lffn_layer_info::layer_norm()']]],
  ['layer_5fnorm_5feps_4',['layer_norm_eps',['../structlffn__layer__config.html#a973da7fcf4ab4171dc27549f34ffe423',1,'lffn_layer_config::layer_norm_eps()'],['../structlffn__layer__info.html#a7a83e5b984e5be25d18dd82102c5ca47',1,'lffn_layer_info::layer_norm_eps()']]],
  ['layer_5fseconds_5',['layer_seconds',['../structlffn__model__run__args.html#a45e14b7eebfb4e3d41d874f41d314150',1,'lffn_model_run_args']]],
  ['linear_5fdtype_6',['linear_dtype',['../structlffn__load__options.html#a8620357f9eee887b0dfd929edef0db04',1,'lffn_load_options::linear_dtype()'],['../structlffn__model__layer__info.html#adc5d3fbb411de0a3ea1a9058414001f5',1,'lffn_model_layer_info::linear_dtype()'],['../structlffn__model__info.html#a22e440d79717a2c262eb55d642c382c4',1,'lffn_model_info::linear_dtype()']]],
  ['lm_5fhead_5fflop_5fper_5ftoken_7',['lm_head_flop_per_token',['../structlffn__model__info.html#a2976e2b8d8c7c4e80986fb3fd1ea4ea1',1,'lffn_model_info']]],
  ['loading_5fbytes_8',['loading_bytes',['../structlffn__memory__estimate.html#a3d80237bdf0937c7771ea41619505d00',1,'lffn_memory_estimate']]],
  ['log_9',['log',['../structlffn__runtime__options.html#ad638720995585ca93ff30da23b917c5b',1,'lffn_runtime_options']]],
  ['log_5fuser_10',['log_user',['../structlffn__runtime__options.html#a052b9bb8083fd355a1dba3aebd8b0cf0',1,'lffn_runtime_options']]],
  ['logits_11',['logits',['../structlffn__result__view.html#a797ec909912cefe58e64ff8d434d3985',1,'lffn_result_view::logits()'],['../structlffn__model__run__args.html#ae330bbfb8aa229bac56cf242a83befd6',1,'lffn_model_run_args::logits()']]],
  ['logits_5fcapacity_12',['logits_capacity',['../structlffn__model__run__args.html#a580a6ee9b3f55dc08ffe7793e2914f8e',1,'lffn_model_run_args']]]
];
