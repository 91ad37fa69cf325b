// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.springai;

import io.github.lookupffn.Model;
import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/**
 * A model from the folder or file that the property {@code lookupffn.model} names, and the embedding models for
 * documents, for queries and for vector stores over it; the last one is the primary one. Import it: {@code @Import(LookupFfnConfiguration.class)}. Further properties: {@code
 * lookupffn.query-prompt}, {@code lookupffn.document-prompt}, {@code lookupffn.refuse-long-texts}, {@code
 * lookupffn.batching}.
 */
@Configuration(proxyBeanMethods = false)
public class LookupFfnConfiguration {
  /** Made by Spring. */
  public LookupFfnConfiguration() {}

  /**
   * Loads the model.
   *
   * @param path its folder or file
   * @return the model, which Spring closes
   */
  @Bean(destroyMethod = "close")
  public Model lookupFfnModel(@Value("${lookupffn.model}") Path path) {
    return Model.load(path);
  }

  /**
   * Embeds documents.
   *
   * @param model the model
   * @param path its folder or file, whose last part is its name
   * @param queryPrompt what is put before queries; empty for what the model says
   * @param documentPrompt what is put before documents; empty for what the model says
   * @param refuseLongTexts whether texts that are too long are refused
   * @param batching whether single texts are put together
   * @return the embedding model for documents
   */
  @Bean(destroyMethod = "close")
  public LookupFfnEmbeddingModel lookupFfnEmbeddingModel(
      Model model,
      @Value("${lookupffn.model}") Path path,
      @Value("${lookupffn.query-prompt:}") String queryPrompt,
      @Value("${lookupffn.document-prompt:}") String documentPrompt,
      @Value("${lookupffn.refuse-long-texts:false}") boolean refuseLongTexts,
      @Value("${lookupffn.batching:false}") boolean batching) {
    return new LookupFfnEmbeddingModel(
        model,
        new LookupFfnEmbeddingSettings(
            String.valueOf(path.getFileName()),
            queryPrompt.isEmpty() ? null : queryPrompt,
            documentPrompt.isEmpty() ? null : documentPrompt,
            refuseLongTexts,
            batching));
  }

  /**
   * Embeds queries.
   *
   * @param documents the embedding model for documents
   * @return one over the same model
   */
  @Bean(destroyMethod = "")
  public LookupFfnEmbeddingModel lookupFfnQueryEmbeddingModel(
      @Qualifier("lookupFfnEmbeddingModel") LookupFfnEmbeddingModel documents) {
    return documents.forQueries();
  }

  /**
   * Embeds what vector stores keep and what they search for.
   *
   * @param documents the embedding model for documents
   * @return one over the same model, which is the one to be injected where no name is given
   */
  @Bean(destroyMethod = "")
  @Primary
  public LookupFfnEmbeddingModel lookupFfnStoreEmbeddingModel(
      @Qualifier("lookupFfnEmbeddingModel") LookupFfnEmbeddingModel documents) {
    return documents.forStores();
  }
}
