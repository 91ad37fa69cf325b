var searchData=
[
  ['saveoptions_0',['SaveOptions',['../structlookupffn_1_1SaveOptions.html',1,'lookupffn']]],
  ['scoredlabel_1',['ScoredLabel',['../structlookupffn_1_1ScoredLabel.html',1,'lookupffn']]],
  ['sequences_2',['Sequences',['../structlookupffn_1_1Sequences.html',1,'lookupffn']]],
  ['span_3',['Span',['../classlookupffn_1_1Span.html',1,'lookupffn']]],
  ['span_3c_20const_20std_3a_3aint32_5ft_20_3e_4',['Span&lt; const std::int32_t &gt;',['../classlookupffn_1_1Span.html',1,'lookupffn']]],
  ['span_3c_20const_20std_3a_3aint64_5ft_20_3e_5',['Span&lt; const std::int64_t &gt;',['../classlookupffn_1_1Span.html',1,'lookupffn']]]
];
