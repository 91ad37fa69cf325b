// SPDX-License-Identifier: Apache-2.0
// Puts [PER], [LOC] and the like in the place of names in the lines of a text file: MaskNames MODEL FILE
using System.Text;
using LookupFfn;

if (args.Length != 2)
{
    Console.Error.WriteLine("usage: MaskNames MODEL FILE");
    return 2;
}

try
{
    using Model model = Model.Load(args[0]);
    EntityOptions how = new() { Aggregation = Aggregation.First, RefuseLongTexts = true };
    foreach (string line in File.ReadLines(args[1]))
    {
        StringBuilder masked = new();
        int at = 0;

        // A line that is too long is refused: names in what is cut would be missed.
        foreach (NamedEntity entity in model.Entities(line, how))
        {
            masked.Append(line, at, entity.Begin - at).Append('[').Append(entity.Label).Append(']');
            at = entity.End;
        }

        Console.WriteLine(masked.Append(line, at, line.Length - at));
    }

    return 0;
}
catch (Exception failure) when (failure is LookupFfnException or ArgumentException or IOException)
{
    Console.Error.WriteLine(failure.Message);
    return 1;
}
