var searchData=
[
  ['memoryestimate_0',['MemoryEstimate',['../structlookupffn_1_1MemoryEstimate.html',1,'lookupffn']]],
  ['model_1',['Model',['../classlookupffn_1_1Model.html',1,'lookupffn']]],
  ['modelinfo_2',['ModelInfo',['../structlookupffn_1_1ModelInfo.html',1,'lookupffn']]],
  ['modellayerinfo_3',['ModelLayerInfo',['../structlookupffn_1_1ModelLayerInfo.html',1,'lookupffn']]]
];
