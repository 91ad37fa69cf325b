// SPDX-License-Identifier: Apache-2.0
// A model out of a package.
using LookupFfn;

using Model model = Model.Load(LookupFfnModels.Quality);
float[] vector = model.Embed("A sentence.");
Console.WriteLine($"{vector.Length} numbers of {model.Name}");
