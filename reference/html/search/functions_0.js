var searchData=
[
  ['activate_0',['activate',['../classlookupffn_1_1Model.html#a1180418b8baffc2fa1c64dbf7c4c4c54',1,'lookupffn::Model']]],
  ['add_1',['add',['../structlookupffn_1_1TokenBatch.html#ad070988a089b20c6538c23e8e9d4514c',1,'lookupffn::TokenBatch::add()'],['../classlookupffn_1_1Texts.html#a67967ceb1b7dc9c297367ceddc61e7b2',1,'lookupffn::Texts::add(std::string_view text)'],['../classlookupffn_1_1Texts.html#ad958d08f12598754b7ad59d4ebcb293b',1,'lookupffn::Texts::add(std::string_view text, std::string_view pair)']]],
  ['address_2',['address',['../classlookupffn_1_1CancelFlag.html#af3885fec6be219a30faccae883f91bb2',1,'lookupffn::CancelFlag']]],
  ['answer_3',['answer',['../classlookupffn_1_1Model.html#adb19aedc15597d1e3732a4936cd018f3',1,'lookupffn::Model']]],
  ['arguments_4',['arguments',['../classlookupffn_1_1Model.html#ab79706460fdbed61cbfd2f16eb89a704',1,'lookupffn::Model']]]
];
