var searchData=
[
  ['get_0',['get',['../classlookupffn_1_1Layer.html#a7b15b474022973067c6ad2b5af1a8515',1,'lookupffn::Layer::get()'],['../classlookupffn_1_1Model.html#adcf719546b6843797d8ba51533863f7c',1,'lookupffn::Model::get()'],['../classlookupffn_1_1Result.html#abf531d8ea14eff63149480d6b01fd2f3',1,'lookupffn::Result::get()'],['../classlookupffn_1_1Runtime.html#af4334661e69dc305e275f335dc2ae9b8',1,'lookupffn::Runtime::get()'],['../classlookupffn_1_1Tokenizer.html#acf20585c94b5fd36891e4ded60e96755',1,'lookupffn::Tokenizer::get()']]],
  ['give_1',['give',['../classlookupffn_1_1Texts.html#a37af70d178073ac9207834ca1affe8a9',1,'lookupffn::Texts']]]
];
