// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.scoring.ScoringModel;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.Model;
import io.github.lookupffn.langchain4j.LookupFfnEmbeddingModel;
import io.github.lookupffn.langchain4j.LookupFfnScoringModel;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** LangChain4j's models over the embedder, and over the model that is named "reranker". */
@AutoConfiguration(after = LookupFfnAutoConfiguration.class)
@ConditionalOnClass({EmbeddingModel.class, LookupFfnEmbeddingModel.class})
public class LookupFfnLangChain4jAutoConfiguration {
  /** Made by Spring. */
  public LookupFfnLangChain4jAutoConfiguration() {}

  /**
   * Embeds documents, and queries where a request says so.
   *
   * @param embedder the embedder
   * @param properties of which the name
   * @return the embedding model
   */
  @Bean(destroyMethod = "")
  @ConditionalOnBean(name = "lookupFfnEmbedder")
  @ConditionalOnMissingBean(EmbeddingModel.class)
  public LookupFfnEmbeddingModel lookupFfnLangChain4jEmbeddingModel(
      @Qualifier("lookupFfnEmbedder") Embedder embedder, LookupFfnProperties properties) {
    return LookupFfnEmbeddingModel.over(embedder, properties.nameOrPlace());
  }

  /**
   * Scores documents for a query.
   *
   * @param reranker the model of {@code lookupffn.models.reranker}
   * @return the scoring model
   */
  @Bean
  @ConditionalOnProperty("lookupffn.models.reranker.model")
  @ConditionalOnMissingBean(ScoringModel.class)
  public LookupFfnScoringModel lookupFfnScoringModel(@Qualifier("reranker") Model reranker) {
    return new LookupFfnScoringModel(reranker);
  }
}
