var searchData=
[
  ['lffn_5flayer_0',['lffn_layer',['../group__layer.html#ga4a98371080ee7ec7d873df971017a2fe',1,'layer.h']]],
  ['lffn_5fload_5fprogress_1',['lffn_load_progress',['../group__loading.html#gaf03af9364dac55c3133ff60d456c6a48',1,'base.h']]],
  ['lffn_5flog_5fcallback_2',['lffn_log_callback',['../group__hooks.html#ga93b39b3f8a08479abed771612575334f',1,'base.h']]],
  ['lffn_5fmodel_3',['lffn_model',['../group__model.html#ga33e816c167e4b219f9c78f20ca4398bf',1,'model.h']]],
  ['lffn_5fparallel_5ffor_4',['lffn_parallel_for',['../group__runtime.html#ga791a533ba59896d95d097bcb4dc55314',1,'runtime.h']]],
  ['lffn_5fread_5',['lffn_read',['../group__loading.html#gae026778b9dab9eff44afdf18e0ce8ba4',1,'base.h']]],
  ['lffn_5fresult_6',['lffn_result',['../group__result.html#gad6be418316630bc6281b2b665a65d4e2',1,'result.h']]],
  ['lffn_5frun_5fprogress_7',['lffn_run_progress',['../group__loading.html#gad17e87f3e58c154edfff81694ad5bde9',1,'base.h']]],
  ['lffn_5fruntime_8',['lffn_runtime',['../group__loading.html#ga7081e0df0e2bc2222a88d987102f2396',1,'base.h']]],
  ['lffn_5fstatus_9',['lffn_status',['../group__basics.html#ga755dae1618995d2092427e3316fff6d3',1,'base.h']]],
  ['lffn_5ftokenizer_10',['lffn_tokenizer',['../group__tokenizer.html#ga9a13c2fc2a2bddd9def1c311f15145ec',1,'tokenizer.h']]]
];
