var searchData=
[
  ['uncut_0',['uncut',['../structlffn__result__view.html#a6c5e563f986582e707af847d99ba7dee',1,'lffn_result_view::uncut()'],['../structlffn__model__run__args.html#a1007ff2337e15446228992de9edfcd5e',1,'lffn_model_run_args::uncut()'],['../structlookupffn_1_1TokenCount.html#aa1247ae8dfeed1cc99e2880ddb06fe48',1,'lookupffn::TokenCount::uncut()'],['../structlookupffn_1_1Encoding.html#a293e98ccc96096087f208fab40efbea1',1,'lookupffn::Encoding::uncut()']]],
  ['unk_5fid_1',['unk_id',['../structlffn__model__info.html#a5a80f10d5bc802bbd0bb49cbb28e813a',1,'lffn_model_info::unk_id()'],['../structlffn__tokenizer__info.html#a0ea28216a0033a9bb04e3dcd52989870',1,'lffn_tokenizer_info::unk_id()']]],
  ['user_2',['user',['../structlffn__allocator.html#af0b230fa44ed3648511c8a6316a523e3',1,'lffn_allocator']]]
];
