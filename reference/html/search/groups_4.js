var searchData=
[
  ['results_0',['Results',['../group__result.html',1,'']]],
  ['running_20a_20model_1',['Running a model',['../group__run.html',1,'']]]
];
