var searchData=
[
  ['a_20layer_0',['A layer',['../group__layer.html',1,'']]],
  ['a_20model_1',['A model',['../group__model.html',1,'']]],
  ['a_20runtime_2',['A runtime',['../group__runtime.html',1,'']]],
  ['a_20tokenizer_3',['A tokenizer',['../group__tokenizer.html',1,'']]],
  ['answers_20and_20labels_4',['Answers and labels',['../group__tasks.html',1,'']]]
];
