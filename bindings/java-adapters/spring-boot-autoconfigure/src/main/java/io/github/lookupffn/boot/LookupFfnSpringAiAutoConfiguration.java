// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.Embedder;
import io.github.lookupffn.springai.LookupFfnEmbeddingModel;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/**
 * Spring AI's embedding models over the embedder. The one for vector stores is injected where no name is given; it is not
 * primary, so that an application with another vendor's model chooses by {@code spring.ai.model.embedding} or by a name.
 */
@AutoConfiguration(after = LookupFfnAutoConfiguration.class)
@ConditionalOnClass({EmbeddingModel.class, LookupFfnEmbeddingModel.class})
@ConditionalOnProperty(name = "spring.ai.model.embedding", havingValue = "lookupffn", matchIfMissing = true)
@ConditionalOnBean(name = "lookupFfnEmbedder")
public class LookupFfnSpringAiAutoConfiguration {
  /** Made by Spring. */
  public LookupFfnSpringAiAutoConfiguration() {}

  static LookupFfnEmbeddingModel over(Embedder embedder, String name, BeanFactory beans) {
    ObservationRegistry observations =
        beans.getBeanProvider(ObservationRegistry.class).getIfUnique(() -> ObservationRegistry.NOOP);
    return new LookupFfnEmbeddingModel(embedder, name, observations);
  }

  /**
   * Embeds documents. It is injected by its name.
   *
   * @param embedder the embedder
   * @param properties of which the name
   * @param beans where there may be who observes calls
   * @return the embedding model
   */
  @Bean(destroyMethod = "", defaultCandidate = false)
  @ConditionalOnMissingBean(name = "lookupFfnDocumentEmbeddingModel")
  public LookupFfnEmbeddingModel lookupFfnDocumentEmbeddingModel(
      @Qualifier("lookupFfnEmbedder") Embedder embedder, LookupFfnProperties properties, BeanFactory beans) {
    return over(embedder, properties.nameOrPlace(), beans);
  }

  /**
   * Embeds queries. It is injected by its name.
   *
   * @param documents the embedding model for documents
   * @return the embedding model
   */
  @Bean(destroyMethod = "", defaultCandidate = false)
  @ConditionalOnMissingBean(name = "lookupFfnQueryEmbeddingModel")
  public LookupFfnEmbeddingModel lookupFfnQueryEmbeddingModel(
      @Qualifier("lookupFfnDocumentEmbeddingModel") LookupFfnEmbeddingModel documents) {
    return documents.forQueries();
  }

  /**
   * Embeds what vector stores keep and what they search for.
   *
   * @param documents the embedding model for documents
   * @return the embedding model
   */
  @Bean(destroyMethod = "")
  @ConditionalOnMissingBean(EmbeddingModel.class)
  public LookupFfnEmbeddingModel lookupFfnStoreEmbeddingModel(
      @Qualifier("lookupFfnDocumentEmbeddingModel") LookupFfnEmbeddingModel documents) {
    return documents.forStores();
  }
}
