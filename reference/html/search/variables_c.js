var searchData=
[
  ['offsets_0',['offsets',['../structlffn__result__view.html#a465fad152c64a16dcbe336b010380e8d',1,'lffn_result_view::offsets()'],['../structlffn__model__run__args.html#a298a6feb1b400a7bcb7a08d3c8ba56e9',1,'lffn_model_run_args::offsets()'],['../structlookupffn_1_1Sequences.html#ac2443ad5dcf348787589fd1ef205eec0',1,'lookupffn::Sequences::offsets()'],['../structlookupffn_1_1TokenBatch.html#a39628fa9c97126003ff2557c0d03ca26',1,'lookupffn::TokenBatch::offsets()']]],
  ['offsets_5fout_1',['offsets_out',['../structlffn__model__run__args.html#a7a8278154d946a6f2cef431b16e5b0e8',1,'lffn_model_run_args']]],
  ['order_2',['order',['../structlffn__zero__shot__args.html#afc837ef86ac62c7981a2a238959e83f0',1,'lffn_zero_shot_args']]],
  ['other_5fflop_5fper_5ftoken_3',['other_flop_per_token',['../structlffn__model__info.html#ad2bbb1a07dc12927dc1d85da8cdf5ab5',1,'lffn_model_info::other_flop_per_token()'],['../structlffn__model__layer__info.html#ae0f1ae09cc65c8a24702438f0f548726',1,'lffn_model_layer_info::other_flop_per_token()']]],
  ['output_5fsize_4',['output_size',['../structlffn__layer__config.html#ae433b3610421c5df3b084f023289627a',1,'lffn_layer_config::output_size()'],['../structlffn__layer__info.html#a42622f96bc8e7b0ba220b490c1f07689',1,'lffn_layer_info::output_size()']]],
  ['own_5fmax_5ftokens_5',['own_max_tokens',['../structlffn__model__info.html#a4d342d32ea5dc14d9e4ead0ce0cd71f2',1,'lffn_model_info::own_max_tokens()'],['../structlffn__tokenizer__info.html#ae044da9572bc667c7f6d0db3c8630dd7',1,'lffn_tokenizer_info::own_max_tokens()']]]
];
