var searchData=
[
  ['embed_0',['embed',['../classlookupffn_1_1Model.html#a7e7b51f3bcd14840f0f28a0b2a5ffb05',1,'lookupffn::Model::embed(const Texts &amp;texts, const RunOptions &amp;options={}) const'],['../classlookupffn_1_1Model.html#afe795293bfa94c35c105bbef31f462c7',1,'lookupffn::Model::embed(const Sequences &amp;sequences, const RunOptions &amp;options={}) const']]],
  ['embed_5fbits_1',['embed_bits',['../classlookupffn_1_1Model.html#a055b106f4a55e8b0ba8133e72a5acd34',1,'lookupffn::Model']]],
  ['embed_5fint8_2',['embed_int8',['../classlookupffn_1_1Model.html#ad32d6486130afbe566d37b744e172536',1,'lookupffn::Model']]],
  ['embed_5fwindows_3',['embed_windows',['../classlookupffn_1_1Model.html#a89011472607f487dc73004c2c5921e50',1,'lookupffn::Model']]],
  ['empty_4',['empty',['../classlookupffn_1_1Span.html#a23db70fcdb6f7b776c3fe8ffe6480d16',1,'lookupffn::Span']]],
  ['encode_5',['encode',['../classlookupffn_1_1Model.html#aca3cb7c9d3e3c4ee20587efe2703ec72',1,'lookupffn::Model::encode()'],['../classlookupffn_1_1Tokenizer.html#a6ae4490d7d2c16fccb63d2d3fc6f0584',1,'lookupffn::Tokenizer::encode(std::string_view text, const TokenizeOptions &amp;options={}) const']]],
  ['encode_5fbatch_6',['encode_batch',['../classlookupffn_1_1Tokenizer.html#af5980af79b8472ff61ea330851b9afcc',1,'lookupffn::Tokenizer']]],
  ['end_7',['end',['../classlookupffn_1_1Span.html#a4d20da890dcdc9a645229b13053469c9',1,'lookupffn::Span']]],
  ['entities_8',['entities',['../classlookupffn_1_1Model.html#ad0472887bd7fdb69c3f96e45f1c675c4',1,'lookupffn::Model']]],
  ['error_9',['Error',['../classlookupffn_1_1Error.html#a56ecacede56f0877c24ae0bceaa7f522',1,'lookupffn::Error']]],
  ['errorof_10',['ErrorOf',['../classlookupffn_1_1ErrorOf.html#a7dec774988ab829b924a9c0a6eba3075',1,'lookupffn::ErrorOf']]],
  ['estimate_11',['estimate',['../classlookupffn_1_1Model.html#a22f8811d499fc5dcdbc728d858e53a77',1,'lookupffn::Model']]],
  ['estimate_5ffiles_12',['estimate_files',['../classlookupffn_1_1Model.html#a63085c9f060b6ef57c4d65f0309d4298',1,'lookupffn::Model']]]
];
