var searchData=
[
  ['value_0',['value',['../structlookupffn_1_1Outcome.html#a9ce709c6b37d3b6ecb48f5c53f31bcce',1,'lookupffn::Outcome::value()'],['../structlookupffn_1_1Attempt.html#a2125b2030349583a441c844fccb67384',1,'lookupffn::Attempt::value()']]],
  ['values_1',['values',['../structlookupffn_1_1Int8Embeddings.html#a20dc2e437dfe88c684ed2938d0dd5a70',1,'lookupffn::Int8Embeddings::values()'],['../structlookupffn_1_1TokenVectors.html#a9a851c5bb51baa51d9ffdebe7dcab140',1,'lookupffn::TokenVectors::values()']]],
  ['vocab_5fsize_2',['vocab_size',['../structlffn__model__info.html#ac6f6053c38ba954e4329f931da83b9c6',1,'lffn_model_info::vocab_size()'],['../structlffn__tokenizer__info.html#a130bb02b045621041a769ed60dc3b403',1,'lffn_tokenizer_info::vocab_size()']]]
];
