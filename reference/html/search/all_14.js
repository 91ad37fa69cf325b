var searchData=
[
  ['value_0',['value',['../structlookupffn_1_1Outcome.html#a9ce709c6b37d3b6ecb48f5c53f31bcce',1,'lookupffn::Outcome::value()'],['../structlookupffn_1_1Attempt.html#a2125b2030349583a441c844fccb67384',1,'lookupffn::Attempt::value()']]],
  ['value_5fof_1',['value_of',['../namespacelookupffn.html#ae93a04cff861a6681302de5d29c49cf6',1,'lookupffn']]],
  ['values_2',['values',['../structlookupffn_1_1Int8Embeddings.html#a20dc2e437dfe88c684ed2938d0dd5a70',1,'lookupffn::Int8Embeddings::values()'],['../structlookupffn_1_1TokenVectors.html#a9a851c5bb51baa51d9ffdebe7dcab140',1,'lookupffn::TokenVectors::values()']]],
  ['view_3',['view',['../classlookupffn_1_1Result.html#a0fa288e837bf9003fbd6bbb4361e64aa',1,'lookupffn::Result::view()'],['../structlookupffn_1_1TokenBatch.html#a049b96e54efd8b33ba996d2055350e76',1,'lookupffn::TokenBatch::view()']]],
  ['vocab_5fsize_4',['vocab_size',['../structlffn__model__info.html#ac6f6053c38ba954e4329f931da83b9c6',1,'lffn_model_info::vocab_size()'],['../structlffn__tokenizer__info.html#a130bb02b045621041a769ed60dc3b403',1,'lffn_tokenizer_info::vocab_size()']]]
];
