var searchData=
[
  ['data_0',['data',['../structlffn__file.html#af93613803023d0db311dc9e4fd7d229b',1,'lffn_file::data()'],['../structlffn__tensor.html#ae9f73bca32309c9ecca2f9340d9efa45',1,'lffn_tensor::data()']]],
  ['deallocate_1',['deallocate',['../structlffn__allocator.html#aaf0afda025f744f970bfea1c5fed4909',1,'lffn_allocator']]],
  ['decay_5fcoeff_2',['decay_coeff',['../structlffn__layer__config.html#a8183e9fdad168a91501290f9df2973a3',1,'lffn_layer_config::decay_coeff()'],['../structlffn__layer__info.html#a51a167c5cc6a15fb17b943a62305fafb',1,'lffn_layer_info::decay_coeff()']]],
  ['decoded_3',['decoded',['../structlffn__result__view.html#a80b576856a5cf1db9034dc48b9e638e4',1,'lffn_result_view']]],
  ['decoded_5fsizes_4',['decoded_sizes',['../structlffn__result__view.html#ac99e4e1aac134560f7384bc8d81878c8',1,'lffn_result_view']]],
  ['default_5fprompt_5',['default_prompt',['../structlffn__model__info.html#afb59c456d442c30e077c65104705dcc5',1,'lffn_model_info']]],
  ['dimensions_6',['dimensions',['../structlffn__model__run__args.html#aee93bf54db58a7170ca2ab2e4cee1fcd',1,'lffn_model_run_args::dimensions()'],['../structlookupffn_1_1RunOptions.html#a603811a3b78ecb416ada42b9c26edd6c',1,'lookupffn::RunOptions::dimensions()']]],
  ['dtype_7',['dtype',['../structlffn__tensor.html#a739d4e985ee1b1a2ee276afad70ee9f5',1,'lffn_tensor']]]
];
