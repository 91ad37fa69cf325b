var searchData=
[
  ['release_0',['release',['../classlookupffn_1_1Layer.html#a6d2e7f44915438babe14b9dc00c6c6c9',1,'lookupffn::Layer::release()'],['../classlookupffn_1_1Model.html#a89720f0f8bc4aa317c4e432375834712',1,'lookupffn::Model::release()'],['../classlookupffn_1_1Result.html#ac05ddd845ce40c1d1154f43f1de5fe1d',1,'lookupffn::Result::release()'],['../classlookupffn_1_1Runtime.html#ac6e52fc42eeb37a0223902bb97371598',1,'lookupffn::Runtime::release()'],['../classlookupffn_1_1Tokenizer.html#a36faf4816d0a713a6fad590d8486378e',1,'lookupffn::Tokenizer::release()']]],
  ['rerank_1',['rerank',['../classlookupffn_1_1Model.html#a4f74410d26d09bfcf1670d86058a4d91',1,'lookupffn::Model']]],
  ['reset_2',['reset',['../classlookupffn_1_1CancelFlag.html#a34b038ffa1523e7889cc6b99315d6d94',1,'lookupffn::CancelFlag']]],
  ['result_3',['Result',['../classlookupffn_1_1Result.html#a2da0887925512b0654791bdd5fa6ff65',1,'lookupffn::Result::Result()'],['../classlookupffn_1_1Result.html#a750d910452f4ea81d2cfc4edb488d4f6',1,'lookupffn::Result::Result(lffn_result *handle) noexcept']]],
  ['resultview_4',['ResultView',['../structlookupffn_1_1ResultView.html#a1f66529c3e6ac5657765b08920935546',1,'lookupffn::ResultView']]],
  ['run_5',['run',['../classlookupffn_1_1Model.html#a3ca75f197b0ef1ad1a50e6c7d08234fb',1,'lookupffn::Model']]],
  ['runtime_6',['Runtime',['../classlookupffn_1_1Runtime.html#ad8d1560e750d28db1095e5067ee4da7d',1,'lookupffn::Runtime::Runtime() noexcept=default'],['../classlookupffn_1_1Runtime.html#a55c6250d728fbc78fdf227ea3520433f',1,'lookupffn::Runtime::Runtime(const RuntimeOptions &amp;options)'],['../classlookupffn_1_1Runtime.html#a7d27837b36bf2260417650be6e9f099f',1,'lookupffn::Runtime::Runtime(lffn_runtime *handle) noexcept']]],
  ['runtimeoptions_7',['RuntimeOptions',['../structlookupffn_1_1RuntimeOptions.html#ab062500f2c1eeb56783b24ee0c68aa43',1,'lookupffn::RuntimeOptions']]]
];
