var searchData=
[
  ['rank_0',['rank',['../structlffn__tensor.html#af58ddb5e2936744784fec15081bac8d9',1,'lffn_tensor']]],
  ['read_1',['read',['../structlffn__file.html#a5008a56cf0941e06eed9769ae9a923d7',1,'lffn_file']]],
  ['read_5fuser_2',['read_user',['../structlffn__file.html#abaf3683c7bf79f41a83a0d31a3f01b14',1,'lffn_file']]],
  ['reading_3',['reading',['../structlffn__model__run__args.html#ad1e99f217b20dd16f55da6da1041a712',1,'lffn_model_run_args::reading()'],['../structlookupffn_1_1RunOptions.html#af08a1bf30d36ef2e7c22450661b4bd30',1,'lookupffn::RunOptions::reading()']]],
  ['release_4',['release',['../classlookupffn_1_1Layer.html#a6d2e7f44915438babe14b9dc00c6c6c9',1,'lookupffn::Layer::release()'],['../classlookupffn_1_1Model.html#a89720f0f8bc4aa317c4e432375834712',1,'lookupffn::Model::release()'],['../classlookupffn_1_1Result.html#ac05ddd845ce40c1d1154f43f1de5fe1d',1,'lookupffn::Result::release()'],['../classlookupffn_1_1Runtime.html#ac6e52fc42eeb37a0223902bb97371598',1,'lookupffn::Runtime::release()'],['../classlookupffn_1_1Tokenizer.html#a36faf4816d0a713a6fad590d8486378e',1,'lookupffn::Tokenizer::release()']]],
  ['repair_5ftext_5',['repair_text',['../structlookupffn_1_1TokenizeOptions.html#afd5626d2ca9b34b5fe53d424adcb9598',1,'lookupffn::TokenizeOptions::repair_text()'],['../structlookupffn_1_1RunOptions.html#a847f838a9c550cde061b033e0e197e97',1,'lookupffn::RunOptions::repair_text()']]],
  ['rerank_6',['rerank',['../classlookupffn_1_1Model.html#a4f74410d26d09bfcf1670d86058a4d91',1,'lookupffn::Model']]],
  ['reserved_7',['reserved',['../structlffn__model__run__args.html#a1f79b5b8da7e9682e1899603fbdcee17',1,'lffn_model_run_args::reserved()'],['../structlffn__forward__args.html#a12d86a9a5e3e800ad203838a473c0e19',1,'lffn_forward_args::reserved()'],['../structlffn__layer__config.html#a1256cc6ac6bbd1236bd89f054d541917',1,'lffn_layer_config::reserved()'],['../structlffn__answer__args.html#a6d3108a20197e838c2a2515ec786e08f',1,'lffn_answer_args::reserved()'],['../structlffn__zero__shot__args.html#abdcdbe70f9fde6da249b8a491289f2f2',1,'lffn_zero_shot_args::reserved()'],['../structlffn__tokenize__args.html#a5de2fb8846fc2ab62b514b7efcc253ce',1,'lffn_tokenize_args::reserved()']]],
  ['reset_8',['reset',['../classlookupffn_1_1CancelFlag.html#a34b038ffa1523e7889cc6b99315d6d94',1,'lookupffn::CancelFlag']]],
  ['result_9',['Result',['../classlookupffn_1_1Result.html',1,'lookupffn']]],
  ['result_10',['result',['../structlffn__model__run__args.html#a5008fe262238536fed47217d47434af1',1,'lffn_model_run_args::result()'],['../structlffn__tokenize__batch__args.html#a3a4b54a953c9c611a4c124f56a23f987',1,'lffn_tokenize_batch_args::result()']]],
  ['result_11',['Result',['../classlookupffn_1_1Result.html#a2da0887925512b0654791bdd5fa6ff65',1,'lookupffn::Result::Result()'],['../classlookupffn_1_1Result.html#a750d910452f4ea81d2cfc4edb488d4f6',1,'lookupffn::Result::Result(lffn_result *handle) noexcept']]],
  ['results_12',['Results',['../group__result.html',1,'']]],
  ['resultview_13',['ResultView',['../structlookupffn_1_1ResultView.html',1,'lookupffn::ResultView'],['../structlookupffn_1_1ResultView.html#a1f66529c3e6ac5657765b08920935546',1,'lookupffn::ResultView::ResultView()']]],
  ['run_14',['run',['../structlookupffn_1_1TokenCount.html#a4f27f7cdc9dd15615aecc03c7c2441c4',1,'lookupffn::TokenCount::run()'],['../classlookupffn_1_1Model.html#a3ca75f197b0ef1ad1a50e6c7d08234fb',1,'lookupffn::Model::run()']]],
  ['running_20a_20model_15',['Running a model',['../group__run.html',1,'']]],
  ['runoptions_16',['RunOptions',['../structlookupffn_1_1RunOptions.html',1,'lookupffn']]],
  ['runtime_17',['Runtime',['../classlookupffn_1_1Runtime.html',1,'lookupffn']]],
  ['runtime_18',['runtime',['../structlffn__load__options.html#ae9caf3df5ed8ca423f2e0e5feb9d4702',1,'lffn_load_options']]],
  ['runtime_19',['Runtime',['../classlookupffn_1_1Runtime.html#ad8d1560e750d28db1095e5067ee4da7d',1,'lookupffn::Runtime::Runtime() noexcept=default'],['../classlookupffn_1_1Runtime.html#a55c6250d728fbc78fdf227ea3520433f',1,'lookupffn::Runtime::Runtime(const RuntimeOptions &amp;options)'],['../classlookupffn_1_1Runtime.html#a7d27837b36bf2260417650be6e9f099f',1,'lookupffn::Runtime::Runtime(lffn_runtime *handle) noexcept']]],
  ['runtimeoptions_20',['RuntimeOptions',['../structlookupffn_1_1RuntimeOptions.html',1,'lookupffn::RuntimeOptions'],['../structlookupffn_1_1RuntimeOptions.html#ab062500f2c1eeb56783b24ee0c68aa43',1,'lookupffn::RuntimeOptions::RuntimeOptions()']]]
];
