var searchData=
[
  ['family_0',['family',['../classlookupffn_1_1Model.html#a22c92a3da68074402c6c2b3b06d41c6d',1,'lookupffn::Model']]],
  ['fill_5fmask_1',['fill_mask',['../classlookupffn_1_1Model.html#a89a92492665f9881925482d059abfa21',1,'lookupffn::Model']]],
  ['find_2',['find',['../classlookupffn_1_1Tokenizer.html#a32840eebb57df90332f126be7176fff3',1,'lookupffn::Tokenizer']]],
  ['floats_3',['floats',['../classlookupffn_1_1Tokens.html#a7908e3e10c1d795ff36583a6fef92aed',1,'lookupffn::Tokens']]],
  ['forward_4',['forward',['../classlookupffn_1_1Layer.html#ae715e89381821660290876ae55edc51a',1,'lookupffn::Layer::forward(Tokens&lt; const float &gt; x, Tokens&lt; float &gt; y, std::uint32_t flags=0, const CancelFlag *cancel=nullptr) const'],['../classlookupffn_1_1Layer.html#a7120e68a66ded734e20c984b722eadfb',1,'lookupffn::Layer::forward(Tokens&lt; const float &gt; x) const']]]
];
