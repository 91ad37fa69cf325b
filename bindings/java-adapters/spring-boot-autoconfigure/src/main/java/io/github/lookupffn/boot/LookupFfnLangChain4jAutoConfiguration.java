// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import dev.langchain4j.model.embedding.EmbeddingModel;
import io.github.lookupffn.Embedder;
import io.github.lookupffn.Model;
import io.github.lookupffn.ModelEmbedder;
import io.github.lookupffn.langchain4j.LookupFfnEmbeddingModel;
import io.github.lookupffn.langchain4j.LookupFfnScoringModel;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** LangChain4j's models over the embedder, and over the models that have names. */
@AutoConfiguration(after = LookupFfnAutoConfiguration.class)
@ConditionalOnClass({EmbeddingModel.class, LookupFfnEmbeddingModel.class})
public class LookupFfnLangChain4jAutoConfiguration {
  /** Made by Spring. */
  public LookupFfnLangChain4jAutoConfiguration() {}

  private static LookupFfnEmbeddingModel over(Embedder embedder) {
    return LookupFfnEmbeddingModel.over(embedder, embedder instanceof ModelEmbedder ofModel ? ofModel.name() : "lookupffn");
  }

  /** Makes those of models that have names. */
  static final class Named {
    private final BeanFactory beans;

    Named(BeanFactory beans) {
      this.beans = beans;
    }

    LookupFfnEmbeddingModel langChain4j(String name) {
      return over(beans.getBean(name + NamedModels.EMBEDDER, Embedder.class));
    }

    LookupFfnScoringModel scoring(String name) {
      return new LookupFfnScoringModel(beans.getBean(name + NamedModels.MODEL, Model.class));
    }
  }

  @Bean(NamedModels.LANG_CHAIN_4J)
  Named lookupFfnNamedLangChain4j(BeanFactory beans) {
    return new Named(beans);
  }

  /**
   * Embeds documents, and queries where a request says so.
   *
   * @param embedder the embedder, whoever made it
   * @return the embedding model
   */
  @Bean(destroyMethod = "")
  @ConditionalOnSingleCandidate(Embedder.class)
  @ConditionalOnMissingBean(EmbeddingModel.class)
  public LookupFfnEmbeddingModel lookupFfnLangChain4jEmbeddingModel(Embedder embedder) {
    return over(embedder);
  }
}
