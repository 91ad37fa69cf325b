var searchData=
[
  ['family_0',['family',['../classlookupffn_1_1Model.html#a22c92a3da68074402c6c2b3b06d41c6d',1,'lookupffn::Model']]],
  ['ffn_5fbytes_1',['ffn_bytes',['../structlffn__model__layer__info.html#a179b44dcf9776568a70c378de7fe35a2',1,'lffn_model_layer_info']]],
  ['ffn_5fflop_5fper_5ftoken_2',['ffn_flop_per_token',['../structlffn__model__info.html#ad4d01008948bca6526e75f4fd083b7c0',1,'lffn_model_info::ffn_flop_per_token()'],['../structlffn__model__layer__info.html#afe0dc159791c3a6c7e63b119524ea556',1,'lffn_model_layer_info::ffn_flop_per_token()']]],
  ['file_5fbytes_3',['file_bytes',['../structlffn__layer__info.html#a2841cdaacfc77dcd6bdeb5122539c56a',1,'lffn_layer_info::file_bytes()'],['../structlffn__model__info.html#afc69096f3b30656d03311ec27e8d207b',1,'lffn_model_info::file_bytes()'],['../structlffn__model__layer__info.html#ae6f33ed8d4a1de9bcf6fbd125d790429',1,'lffn_model_layer_info::file_bytes()']]],
  ['fill_5fmask_4',['fill_mask',['../classlookupffn_1_1Model.html#a89a92492665f9881925482d059abfa21',1,'lookupffn::Model']]],
  ['filling_5',['Filling',['../structlookupffn_1_1Filling.html',1,'lookupffn']]],
  ['filling_5fids_6',['filling_ids',['../structlffn__result__view.html#a9daf7690455cf21c598185690e10303a',1,'lffn_result_view::filling_ids()'],['../structlffn__model__run__args.html#a3548d8bd67115abc3e6e2a4006ee6b2f',1,'lffn_model_run_args::filling_ids()']]],
  ['filling_5fprobabilities_7',['filling_probabilities',['../structlffn__model__run__args.html#a6140315b4ad9e844bab0dfa13941bd94',1,'lffn_model_run_args::filling_probabilities()'],['../structlffn__result__view.html#ae01d931d9758df573b9b3d480351fca1',1,'lffn_result_view::filling_probabilities()']]],
  ['fillings_5fcapacity_8',['fillings_capacity',['../structlffn__model__run__args.html#ae06576bc1605409c36f4a4ed99a632ab',1,'lffn_model_run_args']]],
  ['find_9',['find',['../classlookupffn_1_1Tokenizer.html#a32840eebb57df90332f126be7176fff3',1,'lookupffn::Tokenizer']]],
  ['flags_10',['flags',['../structlffn__load__options.html#a8d5ce97ddb7106bbb76734f65d6cf077',1,'lffn_load_options::flags()'],['../structlffn__forward__args.html#a4f93122d01b5fc653d8d00c958ec7210',1,'lffn_forward_args::flags()'],['../structlffn__model__run__args.html#a376a2d6a682af5ff6dfeda069b654279',1,'lffn_model_run_args::flags()'],['../structlffn__runtime__options.html#a120f94dfac5db67af5e457b149ded3b3',1,'lffn_runtime_options::flags()'],['../structlffn__answer__args.html#ad9ed1b0ab215af2d74f4ecab999ac245',1,'lffn_answer_args::flags()'],['../structlffn__zero__shot__args.html#a081d9def9dd3c2c72f3c41eb3e434c77',1,'lffn_zero_shot_args::flags()'],['../structlffn__tokenize__args.html#a6712f0c9392d73419f47f1ab04297d6a',1,'lffn_tokenize_args::flags()'],['../structlffn__tokenize__batch__args.html#acf70b1c05833f4897d4d2f92ddc59cbf',1,'lffn_tokenize_batch_args::flags()']]],
  ['floats_11',['floats',['../classlookupffn_1_1Tokens.html#a7908e3e10c1d795ff36583a6fef92aed',1,'lookupffn::Tokens']]],
  ['flop_5fper_5ftoken_12',['flop_per_token',['../structlffn__layer__info.html#ae274d4f15dfba744c4f71d29247ac73a',1,'lffn_layer_info']]],
  ['forward_13',['forward',['../classlookupffn_1_1Layer.html#a7120e68a66ded734e20c984b722eadfb',1,'lookupffn::Layer::forward(Tokens&lt; const float &gt; x) const'],['../classlookupffn_1_1Layer.html#ae715e89381821660290876ae55edc51a',1,'lookupffn::Layer::forward(Tokens&lt; const float &gt; x, Tokens&lt; float &gt; y, std::uint32_t flags=0, const CancelFlag *cancel=nullptr) const']]],
  ['free_14',['Free',['../structlookupffn_1_1Free.html',1,'lookupffn']]]
];
