var searchData=
[
  ['memoryestimate_0',['MemoryEstimate',['../structlookupffn_1_1MemoryEstimate.html#a671df54d5670ffaaa42a5917e7f6b802',1,'lookupffn::MemoryEstimate']]],
  ['model_1',['Model',['../classlookupffn_1_1Model.html#a6f37afa262dbc860695e4fec3b6c6c49',1,'lookupffn::Model::Model() noexcept=default'],['../classlookupffn_1_1Model.html#ab3bb61bcc7929087bf3532ec8d0b61f5',1,'lookupffn::Model::Model(lffn_model *handle) noexcept']]],
  ['modelinfo_2',['ModelInfo',['../structlookupffn_1_1ModelInfo.html#aa05b8d092f5b693b468d0dbfb205e2b4',1,'lookupffn::ModelInfo']]],
  ['modellayerinfo_3',['ModelLayerInfo',['../structlookupffn_1_1ModelLayerInfo.html#aed57a083fa674a498b4a3bda4fcfe87b',1,'lookupffn::ModelLayerInfo']]]
];
