// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;

/** One jar serves Boot 3.5 and 4: it names no class of Boot that one of them lacks, but for the two forms of its health. */
class BootApiTest {
  private static final String BOOT = "org/springframework/boot/";
  private static final Set<String> OF_BOTH = Set.of(
      "autoconfigure/AutoConfiguration",
      "autoconfigure/condition/ConditionalOnBean",
      "autoconfigure/condition/ConditionalOnClass",
      "autoconfigure/condition/ConditionalOnMissingBean",
      "autoconfigure/condition/ConditionalOnProperty",
      "autoconfigure/condition/ConditionalOnSingleCandidate",
      "context/properties/ConfigurationProperties",
      "context/properties/EnableConfigurationProperties",
      "context/properties/NestedConfigurationProperty",
      "context/properties/bind/Bindable",
      "context/properties/bind/BindResult",
      "context/properties/bind/Binder",
      "diagnostics/AbstractFailureAnalyzer",
      "diagnostics/FailureAnalysis");

  @Test
  void namesNoClassThatOneOfThemLacks() throws Exception {
    Set<String> found = new TreeSet<>();
    try (InputStream jar = LookupFfnAutoConfiguration.class.getProtectionDomain().getCodeSource().getLocation().openStream();
        ZipInputStream zip = new ZipInputStream(jar)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        String bytes = new String(zip.readAllBytes(), StandardCharsets.ISO_8859_1);
        if (!entry.getName().endsWith(".class")) {
          continue;
        }
        Matcher names = Pattern.compile(BOOT + "([A-Za-z/]*[A-Za-z])").matcher(bytes);
        while (names.find()) {
          found.add(names.group(1));
        }
      }
    }
    found.removeIf(name -> name.startsWith("health/contributor/Health") || name.startsWith("actuate/health/Health"));
    assertEquals(new TreeSet<>(OF_BOTH), found);
  }
}
