var searchData=
[
  ['save_0',['save',['../classlookupffn_1_1Layer.html#aef89cfb84bdcf51db89d808580a4d902',1,'lookupffn::Layer::save()'],['../classlookupffn_1_1Model.html#a71abed3b56a71c9752b4ebddc321c147',1,'lookupffn::Model::save()']]],
  ['saveoptions_1',['SaveOptions',['../structlookupffn_1_1SaveOptions.html#a9811d89f95311548d0a66da136375759',1,'lookupffn::SaveOptions']]],
  ['share_2',['share',['../classlookupffn_1_1Model.html#a7f1aa8fa52c8eaf822ef08d3176f7a4b',1,'lookupffn::Model']]],
  ['size_3',['size',['../classlookupffn_1_1Span.html#a8d72cc80b00fee28c6c137899924aa5b',1,'lookupffn::Span']]],
  ['span_4',['Span',['../classlookupffn_1_1Span.html#a14cf502b6183df511a7d3a19d49392de',1,'lookupffn::Span::Span() noexcept=default'],['../classlookupffn_1_1Span.html#a4e0b194ca3fb5c65fa765ee1724b50f7',1,'lookupffn::Span::Span(T *data, std::size_t size) noexcept'],['../classlookupffn_1_1Span.html#a6c1e52dafb7e0f63327abe6cf49dd222',1,'lookupffn::Span::Span(Container &amp;&amp;container) noexcept']]],
  ['status_5',['status',['../classlookupffn_1_1Error.html#abf3ff106eedfad24f583e5f6492dcca1',1,'lookupffn::Error::status()'],['../structlookupffn_1_1Attempt.html#a837b3863737839131af97528b6df9ff9',1,'lookupffn::Attempt::status()']]],
  ['stride_6',['stride',['../classlookupffn_1_1Tokens.html#a3782766e1f42dc1b370364527f01877e',1,'lookupffn::Tokens']]]
];
