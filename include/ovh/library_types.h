/* SPDX-License-Identifier: Apache-2.0
 *
 * The types of the libraries beside the CUDA runtime, driver and cuBLAS that the hook tables need. Part of cuda_types.h, which says
 * what is promised.
 */
#ifndef OVH_LIBRARY_TYPES_H
#define OVH_LIBRARY_TYPES_H

/* ---- cuDNN ---- */

OVH_ENUM(cudnnActivationMode_t) OVH_ENUM(cudnnBackendAttributeName_t) OVH_ENUM(cudnnBackendAttributeType_t)
OVH_ENUM(cudnnBackendDescriptorType_t) OVH_ENUM(cudnnBatchNormMode_t) OVH_ENUM(cudnnBatchNormOps_t) OVH_ENUM(cudnnCTCGradMode_t)
OVH_ENUM(cudnnCTCLossAlgo_t) OVH_ENUM(cudnnConvolutionBwdDataAlgo_t) OVH_ENUM(cudnnConvolutionBwdFilterAlgo_t)
OVH_ENUM(cudnnConvolutionFwdAlgo_t) OVH_ENUM(cudnnConvolutionMode_t) OVH_ENUM(cudnnDataType_t) OVH_ENUM(cudnnDirectionMode_t)
OVH_ENUM(cudnnForwardMode_t) OVH_ENUM(cudnnLossNormalizationMode_t) OVH_ENUM(cudnnMathType_t) OVH_ENUM(cudnnNanPropagation_t)
OVH_ENUM(cudnnPoolingMode_t) OVH_ENUM(cudnnRNNAlgo_t) OVH_ENUM(cudnnRNNBiasMode_t) OVH_ENUM(cudnnRNNDataLayout_t)
OVH_ENUM(cudnnRNNInputMode_t) OVH_ENUM(cudnnRNNMode_t) OVH_ENUM(cudnnSamplerType_t) OVH_ENUM(cudnnStatus_t)
OVH_ENUM(cudnnTensorFormat_t) OVH_ENUM(cudnnWgradMode_t)

typedef struct cudnnActivationStruct *cudnnActivationDescriptor_t;
typedef void *cudnnBackendDescriptor_t;
typedef struct cudnnCTCLossStruct *cudnnCTCLossDescriptor_t;
typedef struct cudnnConvolutionBwdDataAlgoPerfStruct cudnnConvolutionBwdDataAlgoPerf_t;
typedef struct cudnnConvolutionBwdFilterAlgoPerfStruct cudnnConvolutionBwdFilterAlgoPerf_t;
typedef struct cudnnConvolutionStruct *cudnnConvolutionDescriptor_t;
typedef struct cudnnConvolutionFwdAlgoPerfStruct cudnnConvolutionFwdAlgoPerf_t;
typedef struct cudnnDropoutStruct *cudnnDropoutDescriptor_t;
typedef struct cudnnFilterStruct *cudnnFilterDescriptor_t;
typedef struct cudnnContext *cudnnHandle_t;
typedef struct cudnnPoolingStruct *cudnnPoolingDescriptor_t;
typedef struct cudnnRNNDataStruct *cudnnRNNDataDescriptor_t;
typedef struct cudnnRNNStruct *cudnnRNNDescriptor_t;
typedef struct cudnnSpatialTransformerStruct *cudnnSpatialTransformerDescriptor_t;
typedef struct cudnnTensorStruct *cudnnTensorDescriptor_t;

/* ---- NCCL ---- */

OVH_ENUM(ncclCommMemStat_t) OVH_ENUM(ncclDataType_t) OVH_ENUM(ncclRedOp_t) OVH_ENUM(ncclResult_t)
OVH_ENUM(ncclScalarResidence_t)

typedef struct ncclCollConfig_v23200 ncclCollConfig_t;
typedef struct ncclComm *ncclComm_t;
typedef struct ncclConfig_v23100 ncclConfig_t;
typedef struct ncclEncryptionConfig_v23200 ncclEncryptionConfig_t;
typedef struct ncclParamHandle *ncclParamHandle_t;
typedef struct ncclSimInfo_v22200 ncclSimInfo_t;
typedef struct ncclUniqueId {
    char internal[128];
} ncclUniqueId;
typedef struct ncclWaitSignalDesc_t_ ncclWaitSignalDesc_t;
typedef struct ncclWindow_vidmem *ncclWindow_t;

/* ---- cuSPARSE ---- */

OVH_ENUM(cusparseAction_t) OVH_ENUM(cusparseCsr2CscAlg_t) OVH_ENUM(cusparseDiagType_t) OVH_ENUM(cusparseDirection_t)
OVH_ENUM(cusparseFillMode_t) OVH_ENUM(cusparseFormat_t) OVH_ENUM(cusparseIndexBase_t) OVH_ENUM(cusparseIndexType_t)
OVH_ENUM(cusparseMatrixType_t) OVH_ENUM(cusparseOperation_t) OVH_ENUM(cusparseOrder_t) OVH_ENUM(cusparsePointerMode_t)
OVH_ENUM(cusparseSDDMMAlg_t) OVH_ENUM(cusparseSolvePolicy_t) OVH_ENUM(cusparseSpGEMMAlg_t) OVH_ENUM(cusparseSpMMAlg_t)
OVH_ENUM(cusparseSpMVAlg_t) OVH_ENUM(cusparseSpMatAttribute_t) OVH_ENUM(cusparseSpSMAlg_t) OVH_ENUM(cusparseSpSVAlg_t)
OVH_ENUM(cusparseStatus_t)

typedef struct bsric02Info *bsric02Info_t;
typedef struct bsrilu02Info *bsrilu02Info_t;
typedef struct bsrsm2Info *bsrsm2Info_t;
typedef struct bsrsv2Info *bsrsv2Info_t;
typedef struct csric02Info *csric02Info_t;
typedef struct csrilu02Info *csrilu02Info_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseSpVecDescr *cusparseConstSpVecDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseSpSMDescr *cusparseSpSMDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;

/* ---- cuSOLVER ---- */

OVH_ENUM(cusolverEigMode_t) OVH_ENUM(cusolverStatus_t)

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
typedef struct cusolverSpContext *cusolverSpHandle_t;
typedef int cusolver_int_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
typedef struct syevjInfo *syevjInfo_t;

/* ---- cuFFT ---- */

OVH_ENUM(cufftResult) OVH_ENUM(cufftType) OVH_ENUM(cufftXtCopyType)

typedef struct cudaLibXtDesc_t cudaLibXtDesc;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef double cufftDoubleReal;
typedef int cufftHandle;
typedef float cufftReal;

/* ---- cuRAND ---- */

OVH_ENUM(curandDirectionVectorSet_t) OVH_ENUM(curandMethod_t) OVH_ENUM(curandOrdering_t) OVH_ENUM(curandRngType_t)
OVH_ENUM(curandStatus_t)

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
typedef struct curandDiscreteDistribution_st *curandDiscreteDistribution_t;
typedef struct curandGenerator_st *curandGenerator_t;

/* ---- NVRTC ---- */

OVH_ENUM(nvrtcResult)

typedef struct nvrtcBundledHeadersInfo_ nvrtcBundledHeadersInfo;
typedef struct _nvrtcProgram *nvrtcProgram;

#endif
