var searchData=
[
  ['rank_0',['rank',['../structlffn__tensor.html#af58ddb5e2936744784fec15081bac8d9',1,'lffn_tensor']]],
  ['read_1',['read',['../structlffn__file.html#a5008a56cf0941e06eed9769ae9a923d7',1,'lffn_file']]],
  ['read_5fuser_2',['read_user',['../structlffn__file.html#abaf3683c7bf79f41a83a0d31a3f01b14',1,'lffn_file']]],
  ['reading_3',['reading',['../structlffn__model__run__args.html#ad1e99f217b20dd16f55da6da1041a712',1,'lffn_model_run_args::reading()'],['../structlookupffn_1_1RunOptions.html#af08a1bf30d36ef2e7c22450661b4bd30',1,'lookupffn::RunOptions::reading()']]],
  ['repair_5ftext_4',['repair_text',['../structlookupffn_1_1RunOptions.html#a847f838a9c550cde061b033e0e197e97',1,'lookupffn::RunOptions::repair_text()'],['../structlookupffn_1_1TokenizeOptions.html#afd5626d2ca9b34b5fe53d424adcb9598',1,'lookupffn::TokenizeOptions::repair_text()']]],
  ['reserved_5',['reserved',['../structlffn__forward__args.html#a12d86a9a5e3e800ad203838a473c0e19',1,'lffn_forward_args::reserved()'],['../structlffn__tokenize__args.html#a5de2fb8846fc2ab62b514b7efcc253ce',1,'lffn_tokenize_args::reserved()'],['../structlffn__zero__shot__args.html#abdcdbe70f9fde6da249b8a491289f2f2',1,'lffn_zero_shot_args::reserved()'],['../structlffn__answer__args.html#a6d3108a20197e838c2a2515ec786e08f',1,'lffn_answer_args::reserved()'],['../structlffn__model__run__args.html#a1f79b5b8da7e9682e1899603fbdcee17',1,'lffn_model_run_args::reserved()'],['../structlffn__layer__config.html#a1256cc6ac6bbd1236bd89f054d541917',1,'lffn_layer_config::reserved()']]],
  ['result_6',['result',['../structlffn__model__run__args.html#a5008fe262238536fed47217d47434af1',1,'lffn_model_run_args::result()'],['../structlffn__tokenize__batch__args.html#a3a4b54a953c9c611a4c124f56a23f987',1,'lffn_tokenize_batch_args::result()']]],
  ['run_7',['run',['../structlookupffn_1_1TokenCount.html#a4f27f7cdc9dd15615aecc03c7c2441c4',1,'lookupffn::TokenCount']]],
  ['runtime_8',['runtime',['../structlffn__load__options.html#ae9caf3df5ed8ca423f2e0e5feb9d4702',1,'lffn_load_options']]]
];
