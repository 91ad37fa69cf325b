var searchData=
[
  ['outofmemory_0',['OutOfMemory',['../namespacelookupffn.html#a59c5046f7745603f839be75b616c46eb',1,'lookupffn']]]
];
