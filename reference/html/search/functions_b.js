var searchData=
[
  ['operator_20bool_0',['operator bool',['../structlookupffn_1_1Outcome.html#a861f187cc99aaad19f2582c7738327d3',1,'lookupffn::Outcome::operator bool()'],['../structlookupffn_1_1Attempt.html#ae33a0e47678c78d60159847b2b7ab06a',1,'lookupffn::Attempt::operator bool()']]],
  ['operator_28_29_1',['operator()',['../structlookupffn_1_1Free.html#afe3c64a45aaf0535bcc0002e3cc3a69b',1,'lookupffn::Free::operator()(lffn_layer *handle) const noexcept'],['../structlookupffn_1_1Free.html#a2cc2dd914122ca6d684af0b6183d7cb6',1,'lookupffn::Free::operator()(lffn_model *handle) const noexcept'],['../structlookupffn_1_1Free.html#acf50986df8a7e363dd4f289f41062f51',1,'lookupffn::Free::operator()(lffn_result *handle) const noexcept'],['../structlookupffn_1_1Free.html#ae9c83732c9920da6e74563a36e728d74',1,'lookupffn::Free::operator()(lffn_runtime *handle) const noexcept'],['../structlookupffn_1_1Free.html#a25aa57d053a7f93687366d11202c6a7f',1,'lookupffn::Free::operator()(lffn_tokenizer *handle) const noexcept']]],
  ['operator_5b_5d_2',['operator[]',['../classlookupffn_1_1Span.html#a0ef65a8de3a780827eadb85925ff8bc8',1,'lookupffn::Span']]]
];
