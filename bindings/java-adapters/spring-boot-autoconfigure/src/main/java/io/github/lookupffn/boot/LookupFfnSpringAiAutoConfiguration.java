// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.Embedder;
import io.github.lookupffn.ModelEmbedder;
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
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Spring AI's embedding models over the embedder. The one for vector stores is injected where no name is given; it is not
 * primary, so that an application with another vendor's model chooses by {@code spring.ai.model.embedding} or by a name.
 */
@AutoConfiguration(after = LookupFfnAutoConfiguration.class)
@ConditionalOnClass({EmbeddingModel.class, LookupFfnEmbeddingModel.class})
@ConditionalOnProperty(name = "spring.ai.model.embedding", havingValue = "lookupffn", matchIfMissing = true)
public class LookupFfnSpringAiAutoConfiguration {
  /** Made by Spring. */
  public LookupFfnSpringAiAutoConfiguration() {}

  private static LookupFfnEmbeddingModel over(Embedder embedder, BeanFactory beans) {
    ObservationRegistry observations =
        beans.getBeanProvider(ObservationRegistry.class).getIfUnique(() -> ObservationRegistry.NOOP);
    String name = embedder instanceof ModelEmbedder ofModel ? ofModel.name() : "lookupffn";
    return new LookupFfnEmbeddingModel(embedder, name, observations);
  }

  /** Makes those of models that have names. */
  static final class Named {
    private final BeanFactory beans;

    Named(BeanFactory beans) {
      this.beans = beans;
    }

    LookupFfnEmbeddingModel springAi(String name) {
      return over(beans.getBean(name + NamedModels.EMBEDDER, Embedder.class), beans).forStores();
    }
  }

  @Bean(NamedModels.SPRING_AI)
  Named lookupFfnNamedSpringAi(BeanFactory beans) {
    return new Named(beans);
  }

  /**
   * Embeds documents. It is injected by its name.
   *
   * @param embedder the embedder, whoever made it
   * @param beans where there may be who observes calls
   * @return the embedding model
   */
  @Bean(destroyMethod = "", defaultCandidate = false)
  @ConditionalOnSingleCandidate(Embedder.class)
  @ConditionalOnMissingBean(name = "lookupFfnDocumentEmbeddingModel")
  public LookupFfnEmbeddingModel lookupFfnDocumentEmbeddingModel(Embedder embedder, BeanFactory beans) {
    return over(embedder, beans);
  }

  /**
   * Embeds queries. It is injected by its name.
   *
   * @param documents the embedding model for documents
   * @return the embedding model
   */
  @Bean(destroyMethod = "", defaultCandidate = false)
  @ConditionalOnBean(name = "lookupFfnDocumentEmbeddingModel")
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
  @ConditionalOnBean(name = "lookupFfnDocumentEmbeddingModel")
  @ConditionalOnMissingBean(EmbeddingModel.class)
  public LookupFfnEmbeddingModel lookupFfnStoreEmbeddingModel(
      @Qualifier("lookupFfnDocumentEmbeddingModel") LookupFfnEmbeddingModel documents) {
    return documents.forStores();
  }
}
