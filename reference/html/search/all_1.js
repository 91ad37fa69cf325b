var searchData=
[
  ['badmodel_0',['BadModel',['../namespacelookupffn.html#ab24e6bc8de6c3744d89f2cd6b1d17524',1,'lookupffn']]],
  ['badtext_1',['BadText',['../namespacelookupffn.html#aeb95aad64dba47055666f027343e77db',1,'lookupffn']]],
  ['basics_2',['Basics',['../group__basics.html',1,'']]],
  ['begin_3',['begin',['../structlookupffn_1_1Entity.html#a43293c85fd69897010d0f063c6733e32',1,'lookupffn::Entity::begin()'],['../classlookupffn_1_1Span.html#a99201df6df41a10420666315dcc23882',1,'lookupffn::Span::begin()'],['../structlookupffn_1_1Answer.html#aacff86cd517cf1a8001e3e7042d42cd0',1,'lookupffn::Answer::begin()'],['../structlookupffn_1_1Window.html#a20ddcafdcfb2b304caea30e48818722e',1,'lookupffn::Window::begin()']]],
  ['begins_4',['begins',['../structlookupffn_1_1TokenVectors.html#ae7c3e13dcda3aa31e07f908a7381ece5',1,'lookupffn::TokenVectors::begins()'],['../structlffn__answer__args.html#a40e6b95dd48db3a890be0b97c9cdf380',1,'lffn_answer_args::begins()'],['../structlffn__tokenize__args.html#ade7353d96ec361c787d3dabd9af25d0c',1,'lffn_tokenize_args::begins()'],['../structlookupffn_1_1Encoding.html#a4a58cd67e14899d84ebfed4a58efcc50',1,'lookupffn::Encoding::begins()']]],
  ['bias_5',['bias',['../structlffn__train__weights.html#a8e2ed276f8e2c885098124ddbea66405',1,'lffn_train_weights::bias()'],['../structlffn__train__gradients.html#a667ae6c09384929c8a71bf7501568860',1,'lffn_train_gradients::bias()']]],
  ['bit_5fembeddings_6',['bit_embeddings',['../structlffn__result__view.html#aa888a72db466b97ddfaeb61c531c292f',1,'lffn_result_view']]],
  ['block_5fsize_7',['block_size',['../structlffn__layer__config.html#a56cccb430742409325967c2901aa2f45',1,'lffn_layer_config::block_size()'],['../structlffn__layer__info.html#ad6af0657dd78381f0663a9ed8aba3a6a',1,'lffn_layer_info::block_size()'],['../structlffn__model__layer__info.html#aa34ea5f08266df16e888a8c758de7ed2',1,'lffn_model_layer_info::block_size()']]],
  ['bos_5fid_8',['bos_id',['../structlffn__model__info.html#a16c3afe3c00f154a656930f5e1ee7b4f',1,'lffn_model_info::bos_id()'],['../structlffn__tokenizer__info.html#a885860cd3f9dae9cc0110fe22a33bda4',1,'lffn_tokenizer_info::bos_id()']]]
];
