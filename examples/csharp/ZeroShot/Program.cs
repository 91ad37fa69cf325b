// SPDX-License-Identifier: Apache-2.0
// Tells which of some labels, none of which the model learned, fits a text best: ZeroShot MODEL TEXT LABEL...
using System.Globalization;
using LookupFfn;

if (args.Length < 3)
{
    Console.Error.WriteLine("usage: ZeroShot MODEL TEXT LABEL...");
    return 2;
}

try
{
    using Model model = Model.Load(args[0]);
    foreach (ScoredLabel label in model.ZeroShot(args[1], args[2..]))
    {
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{label.Score:F4}  {label.Label}"));
    }

    return 0;
}
catch (Exception failure) when (failure is LookupFfnException or ArgumentException or IOException)
{
    Console.Error.WriteLine(failure.Message);
    return 1;
}
